-- Every call with its function: the name, and the source of what samples found. Calls are the slices that nest: async
-- spans, and slices that overlap others, have no place among callers and callees. A call is outermost if no call of the
-- same function is around it: sums over outermost calls count recursion once.
select
  c.trace_id, c.slice_id, c.track_id, c.function, c.url, c.line, c.ts, c.dur, c.self_dur, c.sample_count,
  c.dur > 0 and (c.earlier_end is null or c.earlier_end <= c.ts) as outermost
from (
  select
    s.trace_id, s.id as slice_id, s.track_id, coalesce(s.name, '') as function, f.url, f.line, s.ts, s.dur, s.self_dur,
    s.sample_count,
    max(s.ts + s.dur) over (
      partition by s.trace_id, s.track_id, s.lane, s.name, s.frame_id is null, f.url, f.line, f.column_number
      order by s.ts, s.id
      rows between unbounded preceding and 1 preceding
    ) as earlier_end
  from slice s
  join track t on t.trace_id = s.trace_id and t.id = s.track_id
  left join frame f on f.trace_id = s.trace_id and f.id = s.frame_id
  where s.lane = 0 and t.tid_text is not null
) c
