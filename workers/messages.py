"""Three habits of Celery's transport that workers must not have: to end over what is no message, to end when a
connection breaks, and to count messages as in hand for ever when the broker could not be told that they are done."""

import logging
from queue import Empty

from kombu.exceptions import OperationalError
from kombu.transport.redis import Channel, QoS, Transport
from kombu.transport.virtual import QoS as InHand
from redis import RedisError

logger = logging.getLogger(__name__)

BROKER_ERRORS = (OperationalError, RedisError, OSError)
"""What is raised when a broker is away, goes away, or says nothing."""


class CarefulQoS(QoS):
    """What a worker has in hand, of which there may be only so much."""

    def ack(self, delivery_tag: str) -> None:
        """Whether or not the broker hears of it, the message is not in hand any more: it comes again if not."""
        try:
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]
        finally:
            InHand.ack(self, delivery_tag)  # type: ignore[no-untyped-call]


class CarefulChannel(Channel):
    """A channel that survives whatever somebody writes to the queue, which Celery takes for an error in the broker, and
    that closes at the first attempt: at the second Celery has forgotten the connection, and ends."""

    QoS = CarefulQoS

    def _brpop_read(self, **options: object) -> object:
        """Called as soon as the broker has something for us, and once more before the channel closes."""
        in_hand = set(self.qos._delivered)
        try:
            return super()._brpop_read(**options)  # type: ignore[no-untyped-call]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            logger.warning("something in the queue was no message, and is dropped: %r", error)
            for tag in set(self.qos._delivered) - in_hand:
                self.qos.ack(tag)
            return True
        except BROKER_ERRORS:
            if self._closing:
                raise Empty from None
            raise


def patch_redis_transport() -> None:
    """Have all connections of this process to brokers use `CarefulChannel`."""
    Transport.Channel = CarefulChannel
