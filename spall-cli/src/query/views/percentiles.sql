-- The durations of the slices with each name.
select
  trace_id, name, count(*) as calls,
  min(dur) as min_dur,
  percentile_cont(0.5) within group (order by dur) as p50_dur,
  percentile_cont(0.95) within group (order by dur) as p95_dur,
  percentile_cont(0.99) within group (order by dur) as p99_dur,
  max(dur) as max_dur
from slice
group by trace_id, name
