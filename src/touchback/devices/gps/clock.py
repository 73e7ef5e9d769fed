"""GPS time: seconds since 6 January 1980, without the leap seconds of UTC (IS-GPS-200, 3.3.4)."""

from datetime import UTC, datetime, timedelta

from touchback.errors import InputError

WEEK = 604800.0  # s
_EPOCH = datetime(1980, 1, 6, tzinfo=UTC)
# Days at whose beginning UTC had one more leap second than before (IERS, Bulletin C). None since.
_LEAPS = (
    (1981, 7), (1982, 7), (1983, 7), (1985, 7), (1988, 1), (1990, 1), (1991, 1), (1992, 7),
    (1993, 7), (1994, 7), (1996, 1), (1997, 7), (1999, 1), (2006, 1), (2009, 1), (2012, 7),
    (2015, 7), (2017, 1),
)  # fmt: skip
_STEPS = tuple(datetime(year, month, 1, tzinfo=UTC) for year, month in _LEAPS)


def leap_seconds(when: datetime) -> int:
    """GPS time less UTC at an instant [s]."""
    return sum(when >= step for step in _STEPS)


def gps_time(when: datetime) -> float:
    """Seconds of GPS time at an instant, which must say its time zone."""
    if when.tzinfo is None:
        raise InputError(
            f"GPS: the instant {when.isoformat()} doesn't say its time zone; give "
            "datetime(…, tzinfo=UTC)."
        )
    since = (when - _EPOCH).total_seconds()
    if since < 0.0:
        raise InputError(
            f"GPS: the instant {when.isoformat()} is before GPS time began, on {_EPOCH.date()}."
        )
    return since + leap_seconds(when)


def utc(seconds: float) -> datetime:
    """The instant of a GPS time; within a leap second, the one after it."""
    when = _EPOCH + timedelta(seconds=seconds)
    when -= timedelta(seconds=leap_seconds(when))
    # Near a step the first guess counts a leap second that was yet to come.
    return when + timedelta(seconds=seconds - gps_time(when))
