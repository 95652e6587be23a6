"""Shared rate limit counters: the table and the function, for PostgreSQL 14 and later.

A counter is one row with the times of its events, oldest first, at most 61 times whatever its limit. Up to 60 are
exact; beyond that, events within one sixtieth of the window share the latest time. So no window ever holds more events
than the limit, and no client waits longer than necessary by more than a sixtieth of the window.

The table is UNLOGGED: it bypasses the write-ahead log, and no commit waits for a disk because of it. After a crash of
the server, and on a promoted standby, it is empty. That is harmless: all counters start again, as after a restart of a
single process, and windows last from a minute to an hour.
"""

from __future__ import annotations

from typing import Final

_TABLE: Final = """
CREATE UNLOGGED TABLE counters (
    name bytea NOT NULL,
    total integer NOT NULL,
    moments timestamp with time zone[] NOT NULL,
    counts integer[] NOT NULL,
    until timestamp with time zone NOT NULL,
    CONSTRAINT pk_counters PRIMARY KEY (name)
) WITH (fillfactor = 50)
"""
# No index except that of the name: updates then touch no index (a "HOT update").

_PLAIN: Final = """
ALTER TABLE counters ALTER COLUMN moments SET STORAGE PLAIN, ALTER COLUMN counts SET STORAGE PLAIN
"""
_COMMENT: Final = """
COMMENT ON TABLE counters IS 'Requests and login attempts in moving windows; names are digests.'
"""

# Names are sorted, so that two transactions never deadlock. Rows are locked from the first statement to the end of the
# call, which is its own transaction: the time is read once all are locked, so that it never goes back between two calls
# unless the clock of the server does. Sequential scans are disabled because plans are cached, and a plan for a small
# table would be used for a large one. JIT compilation takes longer than everything else.
_FUNCTION: Final = """
CREATE FUNCTION counters_step(
    step integer, names bytea[], limits integer[], windows_s integer[],
    OUT done boolean, OUT counted integer[], OUT left_s double precision[]
) LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
    held counters[];
    one counters;
    moment timestamp with time zone;
    span interval;
    size integer;
    gone integer;
BEGIN
    FOR i IN 1 .. cardinality(names) LOOP
        LOOP
            SELECT * INTO one FROM counters WHERE counters.name = names[i] FOR UPDATE;
            EXIT WHEN FOUND;
            IF step <= 0 THEN
                one := ROW(names[i], 0, '{}', '{}', clock_timestamp());
                EXIT;
            END IF;
            INSERT INTO counters
                VALUES (names[i], 0, '{}', '{}', clock_timestamp() + make_interval(secs => windows_s[i]))
                ON CONFLICT DO NOTHING;
        END LOOP;
        held[i] := one;
    END LOOP;
    moment := clock_timestamp();
    done := true;
    FOR i IN 1 .. cardinality(names) LOOP
        one := held[i];
        span := make_interval(secs => windows_s[i]);
        size := cardinality(one.moments);
        IF one.moments[size] > moment THEN
            -- The clock was set back: what was counted counts as if it had been now, so that it ends in a window.
            one.moments := ARRAY(
                SELECT least(each.at, moment) FROM unnest(one.moments) WITH ORDINALITY AS each(at, place)
                ORDER BY each.place
            );
            UPDATE counters SET moments = one.moments, until = moment + span WHERE counters.name = names[i];
        END IF;
        gone := 0;
        WHILE gone < size AND one.moments[gone + 1] <= moment - span LOOP
            gone := gone + 1;
            one.total := one.total - one.counts[gone];
        END LOOP;
        IF gone > 0 THEN
            one.moments := one.moments[gone + 1 :];
            one.counts := one.counts[gone + 1 :];
        END IF;
        done := done AND CASE WHEN step < 0 THEN one.total > 0 ELSE one.total < limits[i] END;
        held[i] := one;
    END LOOP;
    FOR i IN 1 .. cardinality(names) LOOP
        one := held[i];
        span := make_interval(secs => windows_s[i]);
        size := cardinality(one.moments);
        IF done AND step > 0 THEN
            IF size >= 60
                AND date_bin(span / 60, one.moments[size], 'epoch') = date_bin(span / 60, moment, 'epoch') THEN
                one.moments[size] := moment;
                one.counts[size] := one.counts[size] + 1;
            ELSE
                IF size >= 60 THEN
                    SELECT array_agg(part.latest ORDER BY part.latest), array_agg(part.count ORDER BY part.latest)
                        INTO one.moments, one.counts
                        FROM (
                            SELECT max(each.at) AS latest, sum(each.count)::integer AS count
                                FROM unnest(one.moments, one.counts) AS each(at, count)
                                GROUP BY date_bin(span / 60, each.at, 'epoch')
                        ) AS part;
                    size := cardinality(one.moments);
                END IF;
                one.moments[size + 1] := moment;
                one.counts[size + 1] := 1;
            END IF;
        ELSIF done AND step < 0 AND one.counts[size] = 1 THEN
            one.moments := one.moments[: size - 1];
            one.counts := one.counts[: size - 1];
        ELSIF done AND step < 0 THEN
            one.counts[size] := one.counts[size] - 1;
        END IF;
        IF done AND step <> 0 THEN
            one.total := one.total + step;
            UPDATE counters
                SET total = one.total, moments = one.moments, counts = one.counts,
                    until = coalesce(one.moments[cardinality(one.moments)], moment) + span
                WHERE counters.name = names[i];
        END IF;
        counted[i] := one.total;
        left_s[i] := extract(epoch FROM coalesce(one.moments[1], moment) + span - moment);
    END LOOP;
END
$$
"""

COUNTERS: Final[tuple[str, ...]] = (_TABLE, _PLAIN, _COMMENT, _FUNCTION)
