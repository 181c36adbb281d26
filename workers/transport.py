"""Our transport to the broker, with workarounds for three problems of Celery's for Redis: a worker exits on an invalid
message, it exits when a connection breaks, and it counts a message as unacknowledged forever if the acknowledgement
cannot be sent."""

import logging
from queue import Empty

from kombu.exceptions import OperationalError
from kombu.transport.redis import Channel, QoS, Transport
from kombu.transport.virtual import QoS as InHand
from redis import RedisError

logger = logging.getLogger(__name__)

BROKER_ERRORS = (OperationalError, RedisError, OSError)
"""The exceptions that are raised when a broker is not available or does not respond."""


class CarefulQoS(QoS):
    """The unacknowledged messages of a worker, whose number is limited."""

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message. It no longer counts as unacknowledged even if the broker cannot be reached; the broker
        delivers it again then."""
        try:
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]
        finally:
            InHand.ack(self, delivery_tag)  # type: ignore[no-untyped-call]


class CarefulChannel(Channel):
    """A channel that drops invalid messages, which Celery treats as errors of the broker; and that closes at the first
    attempt, because at the second Celery has lost the connection and exits."""

    QoS = CarefulQoS

    def _brpop_read(self, **options: object) -> object:
        """Read a message. Called when one has arrived, and once more before the channel closes."""
        in_hand = set(self.qos._delivered)
        try:
            return super()._brpop_read(**options)  # type: ignore[no-untyped-call]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            logger.warning("dropped an invalid message from the queue: %r", error)
            for tag in set(self.qos._delivered) - in_hand:
                self.qos.ack(tag)
            return True
        except BROKER_ERRORS:
            if self._closing:
                raise Empty from None
            raise


def patch_redis_transport() -> None:
    """Make all Redis connections of this process use `CarefulChannel`."""
    Transport.Channel = CarefulChannel
