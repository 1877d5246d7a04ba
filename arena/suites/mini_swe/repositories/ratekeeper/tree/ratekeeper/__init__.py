"""Rate limits for anything that has a key."""

from ratekeeper.backoff import delays
from ratekeeper.decision import Decision
from ratekeeper.keeper import Keeper
from ratekeeper.limits import Limit, parse_limit

__all__ = ["Decision", "Keeper", "Limit", "delays", "parse_limit"]
