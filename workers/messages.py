"""Two habits of Celery's transport that workers must not have: to end over what is no message, and to count messages
as in hand for ever when the broker could not be told that they are done."""

import logging

from kombu.transport.redis import Channel, QoS, Transport
from kombu.transport.virtual import QoS as InHand

logger = logging.getLogger(__name__)


class CarefulQoS(QoS):
    """What a worker has in hand, of which there may be only so much."""

    def ack(self, delivery_tag: str) -> None:
        """Whether or not the broker hears of it, the message is not in hand any more: it comes again if not."""
        try:
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]
        finally:
            InHand.ack(self, delivery_tag)  # type: ignore[no-untyped-call]


class CarefulChannel(Channel):
    """A channel that survives whatever somebody writes to the queue, which Celery takes for an error in the broker."""

    QoS = CarefulQoS

    def _brpop_read(self, **options: object) -> object:
        """Called as soon as the broker has something for us."""
        try:
            return super()._brpop_read(**options)  # type: ignore[no-untyped-call]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            logger.warning("something in the queue was no message, and is dropped: %r", error)
            return True


def be_careful() -> None:
    """Have all connections to brokers be like that."""
    Transport.Channel = CarefulChannel
