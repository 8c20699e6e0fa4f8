-- The times in which a thread ran nothing, between its outermost slices.
select g.trace_id, g.track_id, t.label as track, g.earlier_end as ts, g.ts - g.earlier_end as dur
from (
  select
    trace_id, track_id, ts,
    max(ts + dur) over (
      partition by trace_id, track_id
      order by ts, id
      rows between unbounded preceding and 1 preceding
    ) as earlier_end
  from slice
  where depth = 0
) g
join track t on t.trace_id = g.trace_id and t.id = g.track_id
where t.type = 'thread' and g.ts > g.earlier_end
