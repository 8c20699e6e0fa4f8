-- The functions of each trace with their times: self time, and total time with recursion counted once.
select
  trace_id, function, url, line,
  sum(self_dur) as self_dur,
  sum(case when outermost then dur else 0 end) as total_dur,
  count(*) as calls,
  sum(sample_count) as samples
from function_call
group by trace_id, function, url, line
