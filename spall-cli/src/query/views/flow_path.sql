-- The flows that led to the latest slice: from the slice that ends last among those at which a flow arrives, back along the
-- flow that arrived last. Step 0 is that slice.
with recursive path as (
  select l.trace_id, 0 as step, l.slice_id
  from (
    select
      s.trace_id, s.id as slice_id,
      row_number() over (partition by s.trace_id order by s.ts + s.dur desc nulls last, s.id) as place
    from slice s
    where exists (select 1 from flow f where f.trace_id = s.trace_id and f.slice_in = s.id)
  ) l
  where l.place = 1
  union all
  select p.trace_id, p.step + 1 as step, f.slice_out as slice_id
  from path p
  join (
    select
      trace_id, slice_in, slice_out,
      row_number() over (partition by trace_id, slice_in order by ts_in desc nulls last, id) as place
    from flow
  ) f on f.trace_id = p.trace_id and f.slice_in = p.slice_id and f.place = 1
  -- Damaged files can have flows in a circle.
  where p.step < 1000
)
select p.trace_id, p.step, p.slice_id, s.name, s.track_id, s.ts, s.dur
from path p
join slice s on s.trace_id = p.trace_id and s.id = p.slice_id
