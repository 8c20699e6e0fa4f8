-- The self times of the functions of two traces, for every pair of traces.
select
  n.trace_a, n.trace_b, n.function,
  coalesce(a.self_dur, 0) as self_a,
  coalesce(b.self_dur, 0) as self_b,
  coalesce(b.self_dur, 0) - coalesce(a.self_dur, 0) as difference
from (
  select distinct x.trace_id as trace_a, y.trace_id as trace_b, f.function
  from trace x
  join trace y on x.trace_id < y.trace_id
  join function_call f on f.trace_id = x.trace_id or f.trace_id = y.trace_id
) n
left join (select trace_id, function, sum(self_dur) as self_dur from function_call group by trace_id, function) a
  on a.trace_id = n.trace_a and a.function = n.function
left join (select trace_id, function, sum(self_dur) as self_dur from function_call group by trace_id, function) b
  on b.trace_id = n.trace_b and b.function = n.function
