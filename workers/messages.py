"""What stands in the queue and is no message is dropped. Celery takes it for an error in the broker, and ends."""

import logging

from kombu.transport.redis import Channel, Transport

logger = logging.getLogger(__name__)


class CarefulChannel(Channel):
    """A channel that survives whatever somebody writes to the queue."""

    def _brpop_read(self, **options: object) -> object:
        """Called as soon as the broker has something for us."""
        try:
            return super()._brpop_read(**options)  # type: ignore[no-untyped-call]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            logger.warning("something in the queue was no message, and is dropped: %r", error)
            return True


def be_careful() -> None:
    """Have all connections to brokers read that way."""
    Transport.Channel = CarefulChannel
