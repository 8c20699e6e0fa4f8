//! The jobs and the fences of Linux's graphics drivers (DRM). [ftrace 4.7](crate::rules::ftrace#4.7)
//!
//! Jobs of a ring, and fences of a timeline, run one after another: the next one begins when the one before is done.

use alloc::collections::VecDeque;
use alloc::string::String;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use super::interpret::{At, EventFields, Moment, Unsaid, bits, shown};
use super::kernel::Kernel;
use super::output::Output;
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

impl Kernel {
    /// Hands over what an event of a driver means.
    pub(super) fn drm(
        &mut self,
        event: &str,
        fields: &dyn EventFields,
        moment: Moment,
        out: &mut Output<'_>,
    ) -> Result<(), Unsaid> {
        // Fences are addresses, which fill all bits.
        let number = |name| bits(fields, name);
        // Newer kernels name a job by its fence in all of its events.
        let fence = || Ok((number("fence_context")?, number("fence_seqno")?));
        match event {
            "drm_sched_job" => self.job_queued(shown(fields, "name")?, (number("id")?, 0), moment, out),
            "drm_run_job" => {
                let (job, done) = ((number("id")?, 0), (number("fence")?, 0));
                self.job_started(shown(fields, "name")?, job, done, moment, out);
            }
            "drm_sched_process_job" => self.job_done((number("fence")?, 0), moment, out),
            "drm_sched_job_queue" => self.job_queued(shown(fields, "name")?, fence()?, moment, out),
            "drm_sched_job_run" => {
                self.job_started(shown(fields, "name")?, fence()?, fence()?, moment, out);
            }
            "drm_sched_job_done" => self.job_done(fence()?, moment, out),
            "dma_fence_init" | "dma_fence_emit" | "dma_fence_signaled" => {
                let name = shown(fields, "timeline")?;
                // A fence without a timeline belongs to none.
                if name != "unbound" {
                    self.fence(event, name, (number("context")?, number("seqno")?), moment, out);
                }
            }
            _ => return Err(Unsaid::Unknown),
        }
        Ok(())
    }

    fn job_queued(&mut self, ring: String, job: Job, moment: Moment, out: &mut Output<'_>) {
        let flow = flow(&ring, job);
        self.drm.queued.insert((ring, job));
        self.tasks.step(moment.tid, moment.at, (Step::Moment, b"drm_sched_job", ""), out);
        self.tasks.step(moment.tid, moment.at, (Step::FlowOut, flow.as_bytes(), "drm"), out);
    }

    fn job_started(&mut self, ring: String, job: Job, done: Done, moment: Moment, out: &mut Output<'_>) {
        let jobs = self.drm.rings.entry_ref(ring.as_str()).or_default();
        jobs.push_back(job);
        let is_first = jobs.len() == 1;
        if is_first {
            self.begin_job(&ring, job, moment, out);
        }
        self.drm.ring_of.insert(done, ring);
    }

    fn job_done(&mut self, done: Done, moment: Moment, out: &mut Output<'_>) {
        let Some(ring) = self.drm.ring_of.remove(&done) else { return };
        let Some(jobs) = self.drm.rings.get_mut(&ring) else { return };
        jobs.pop_front();
        let next = jobs.front().copied();
        self.step(&track(&ring), moment.at, (Step::End, "", ""), out);
        if let Some(job) = next {
            self.begin_job(&ring, job, moment, out);
        }
    }

    fn begin_job(&mut self, ring: &str, job: Job, moment: Moment, out: &mut Output<'_>) {
        let track = track(ring);
        self.step(&track, moment.at, (Step::Begin, "job", ""), out);
        if self.drm.queued.remove(&(ring.into(), job)) {
            self.step(&track, moment.at, (Step::FlowIn, &flow(ring, job), "drm"), out);
        }
    }

    fn fence(
        &mut self,
        event: &str,
        name: String,
        (context, number): (u64, u64),
        moment: Moment,
        out: &mut Output<'_>,
    ) {
        let timeline = self.drm.timelines.entry(context).or_insert_with(|| Timeline {
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
        let track = timeline.track.clone();
        if ends {
            self.step(&track, moment.at, (Step::End, "", ""), out);
        }
        if begins {
            self.step(&track, moment.at, (Step::Begin, "fence", ""), out);
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
