-- The values that the counters of a process had when its slices began.
select s.trace_id, s.id as slice_id, s.name, c.counter, c.series, c.value
from slice s
join track t on t.trace_id = s.trace_id and t.id = s.track_id
join (
  select
    v.trace_id, k.process_id, k.label as counter, v.series, v.value, v.ts,
    lead(v.ts) over (partition by v.trace_id, v.track_id, v.series order by v.ts, v.id) as next_ts
  from counter v
  join track k on k.trace_id = v.trace_id and k.id = v.track_id
) c
  on c.trace_id = s.trace_id and c.process_id = t.process_id
  and c.ts <= s.ts and (c.next_ts is null or s.ts < c.next_ts)
