//! The jobs and the fences of Linux's graphics drivers (DRM). [ftrace 4.7](crate::rules::ftrace#4.7)
//!
//! Jobs of a ring, and fences of a timeline, run one after another: the next one begins when the one before is done.

use alloc::collections::VecDeque;
use alloc::string::String;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use super::event_fields::{At, EventFields, Unsaid, bits, shown};
use super::tasks::Step;

/// What drivers have told so far.
#[derive(Debug, Default)]
pub(super) struct Drm {
    /// The jobs of each ring that have started, of which the first runs.
    rings: HashMap<String, VecDeque<Job>, RandomState>,
    /// The ring of each job that has started.
    ring_of: HashMap<Done, String, RandomState>,
    /// The jobs that were put into a queue and have not begun.
    queued: HashSet<(String, Job), RandomState>,
    timelines: HashMap<u64, Timeline, RandomState>,
}

/// What tells a job apart from others of its ring: its number, or its fence.
type Job = (u64, u64);

/// What tells that a job is done.
type Done = (u64, u64);

/// The fences of a context.
#[derive(Debug)]
struct Timeline {
    track: At,
    /// Whether it says when fences are emitted, and not only when they are made.
    has_emits: bool,
    /// The fences that have not been signaled, of which the first is a slice.
    pending: VecDeque<u64>,
}

/// What takes the steps of jobs and fences, each with the place.
type Tell<'t> = dyn FnMut(&At, (Step, &str, &'static str)) + 't;

impl Drm {
    /// Tells what an event of a driver means.
    pub(super) fn event(
        &mut self,
        event: &str,
        fields: &dyn EventFields,
        tid: i64,
        tell: &mut Tell<'_>,
    ) -> Result<(), Unsaid> {
        // Fences are addresses, which fill all bits.
        let number = |name| bits(fields, name);
        // Newer kernels name a job by its fence in all of its events.
        let fence = || Ok((number("fence_context")?, number("fence_seqno")?));
        match event {
            "drm_sched_job" => self.queued(shown(fields, "name")?, (number("id")?, 0), tid, tell),
            "drm_run_job" => {
                self.started(shown(fields, "name")?, (number("id")?, 0), (number("fence")?, 0), tell);
            }
            "drm_sched_process_job" => self.done((number("fence")?, 0), tell),
            "drm_sched_job_queue" => self.queued(shown(fields, "name")?, fence()?, tid, tell),
            "drm_sched_job_run" => self.started(shown(fields, "name")?, fence()?, fence()?, tell),
            "drm_sched_job_done" => self.done(fence()?, tell),
            "dma_fence_init" | "dma_fence_emit" | "dma_fence_signaled" => {
                let name = shown(fields, "timeline")?;
                // A fence without a timeline belongs to none.
                if name != "unbound" {
                    self.fence(event, &name, (number("context")?, number("seqno")?), tell);
                }
            }
            _ => return Err(Unsaid::Unknown),
        }
        Ok(())
    }

    fn queued(&mut self, ring: String, job: Job, tid: i64, tell: &mut Tell<'_>) {
        let thread = At::Thread(tid);
        tell(&thread, (Step::Moment, "drm_sched_job", ""));
        tell(&thread, (Step::FlowOut, &flow(&ring, job), "drm"));
        self.queued.insert((ring, job));
    }

    fn started(&mut self, ring: String, job: Job, done: Done, tell: &mut Tell<'_>) {
        let jobs = self.rings.entry_ref(ring.as_str()).or_default();
        jobs.push_back(job);
        let is_first = jobs.len() == 1;
        if is_first {
            self.begin(&ring, job, tell);
        }
        self.ring_of.insert(done, ring);
    }

    fn done(&mut self, done: Done, tell: &mut Tell<'_>) {
        let Some(ring) = self.ring_of.remove(&done) else { return };
        let Some(jobs) = self.rings.get_mut(&ring) else { return };
        jobs.pop_front();
        let next = jobs.front().copied();
        tell(&track(&ring), (Step::End, "", ""));
        if let Some(job) = next {
            self.begin(&ring, job, tell);
        }
    }

    fn begin(&mut self, ring: &str, job: Job, tell: &mut Tell<'_>) {
        let track = track(ring);
        tell(&track, (Step::Begin, "job", ""));
        if self.queued.remove(&(ring.into(), job)) {
            tell(&track, (Step::FlowIn, &flow(ring, job), "drm"));
        }
    }

    fn fence(&mut self, event: &str, name: &str, (context, number): (u64, u64), tell: &mut Tell<'_>) {
        let timeline = self.timelines.entry(context).or_insert_with(|| Timeline {
            track: At::Track(alloc::format!("fence-{name}-{context}")),
            has_emits: false,
            pending: VecDeque::new(),
        });
        let (mut ends, mut begins) = (false, false);
        match event {
            "dma_fence_signaled" => {
                if timeline.pending.front().is_some_and(|&first| first <= number) {
                    timeline.pending.pop_front();
                    (ends, begins) = (true, !timeline.pending.is_empty());
                }
            }
            "dma_fence_init" if timeline.has_emits => {}
            _ => {
                // What was made before the first emit has not been emitted.
                if event == "dma_fence_emit" && !timeline.has_emits {
                    timeline.has_emits = true;
                    ends = !timeline.pending.is_empty();
                    timeline.pending.clear();
                }
                timeline.pending.push_back(number);
                begins = timeline.pending.len() == 1;
            }
        }
        if ends {
            tell(&timeline.track, (Step::End, "", ""));
        }
        if begins {
            tell(&timeline.track, (Step::Begin, "fence", ""));
        }
    }
}

fn track(ring: &str) -> At {
    At::Track(alloc::format!("sched-{ring}"))
}

/// Returns the id of the flow from where a job is queued to where it runs.
fn flow(ring: &str, (first, second): Job) -> String {
    alloc::format!("{ring} {first} {second}")
}
