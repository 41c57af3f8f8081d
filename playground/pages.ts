// Every page of the playground, in the order of its navigation. What is said here is said once: the build writes it into each page.

export interface PageText {
  /** Its file, without `.html`. */
  readonly name: string
  readonly title: string
  /** One sentence each: what is seen, what of it is simulated, what the paper found, what was measured here. */
  readonly seen: string
  readonly simulated: string
  readonly found: string
  /** Every figure of it is in `results`. */
  readonly measured: string
  /** Where the paper says so. */
  readonly section: string
  /** In the repository: the code that runs here, its README, the measured results. */
  readonly code: string
  readonly readme: string
  readonly results: readonly string[]
}

export const PAGES: readonly PageText[] = [
  {
    name: 'index',
    title: 'Autoscaling',
    seen: 'A learned policy and the rules it would replace scale the same application: who keeps the SLO within its error budget, and for how many dollars.',
    simulated:
      'Load, application, pods and latencies are simulated; the controllers, the guard and the learning are the ones that ship.',
    found:
      'AWARE adapts 5.5 times as fast as transfer learning and breaks the SLO 16.9 times less while it learns beside a rule.',
    measured:
      'Where pods resize in place, 2 % cheaper than the strongest tuned rule over all cells and 8 % where dollars are promised (18 and 30 % cheaper than HPA+VPA); no cheaper where they restart. While it learns, the SLO breaks 10.7 times less than from scratch.',
    section: '5.4 – 5.6',
    code: 'packages/tasks/src/autoscaling',
    readme: 'packages/tasks/README.md',
    results: ['docs/results/promise.md', 'docs/results/bootstrapping.md'],
  },
  {
    name: 'microservices',
    title: 'Microservices',
    seen: 'An application lives through anomalies: what the slowest request waits for, whom its critical paths name, and what raising that one’s limits does.',
    simulated:
      'Services, requests and anomalies are simulated; critical paths, localisation and mitigation are the ones that ship.',
    found: 'FIRM mitigates within 1.7 seconds on average and breaks SLOs 9 times less than AIMD.',
    measured:
      'Simulated, raising the limits of whom traces name leaves 0.41 times AIMD’s late requests; learning how much to raise is no better than raising all. On real processes 20.69 % of requests are late in place of 25.22 %, which is within the error.',
    section: '3.2 – 3.3',
    code: 'packages/tasks/src/microservices',
    readme: 'packages/tasks/README.md',
    results: ['docs/results/mitigation.md', 'docs/results/mitigation-live.md'],
  },
  {
    name: 'tenants',
    title: 'Tenants',
    seen: 'Functions share one platform: which controller keeps everybody’s SLO, who starves, and what it holds for that.',
    simulated:
      'Platform, functions and calls are simulated; rules and policies are tuned and taught by this page, as the command does.',
    found:
      'Agents that learned alone lose 56 % of their reward together; SIMPPO stays within 9.2 % of each one alone, with up to 4.5 times better p99.',
    measured:
      'With 12 functions, agents that learned alone fall from J 0.819 to 0.642 together, and SIMPPO as printed comes to 0.736: less than every tuned rule (0.862 to 0.898). The default here comes to 0.904, no surer ahead of the best rule than its error, 0.007 ± 0.008.',
    section: '4.4 – 4.8',
    code: 'packages/tasks/src/serverless',
    readme: 'packages/tasks/README.md',
    results: ['docs/results/tenants.md'],
  },
  {
    name: 'adaptation',
    title: 'Adaptation',
    seen: 'An application that nobody has seen: where it lies among those that taught the policy, its nearest relatives, and how it adapts with and without that.',
    simulated:
      'Applications and loads are simulated; encoder, policy and forecast are real, pretrained for this page on 24 applications.',
    found:
      'FLASH’s embedding cuts the reward missing on a new application from 37 to 10.5 %, and adapts 5.5 times as fast as transfer learning.',
    measured:
      'After one episode 4.0 % of the reward is missing (transfer learning: 12.4 %), and 95 % is reached 8.6 times as fast. But without the embedding only 4.1 % is missing: here it is the pool that pays.',
    section: '5.6',
    code: 'packages/learn/src/meta',
    readme: 'packages/learn/README.md',
    results: ['docs/results/adaptation.md'],
  },
  {
    name: 'traces',
    title: 'Traces',
    seen: 'Traces of your own, dropped here: what each request waited for, which service is to blame and what a fix would buy.',
    simulated: 'The samples come from a simulated application; a file of yours is read where you are and sent nowhere.',
    found: 'FIRM names the instances behind SLO violations with 93 % accuracy, several anomalies at once included.',
    measured:
      'Of 74 incidents injected into two real systems, each compared with fault-free traces, the culprit comes first in 58.9 % and among the first three in 69.7 %; of faults that leave a mark in traces, first in 89.4 % and 77.8 %.',
    section: '3.2',
    code: 'packages/trace',
    readme: 'packages/trace/README.md',
    results: ['docs/results/culprits.md'],
  },
  {
    name: 'serving',
    title: 'LLM serving',
    seen: 'The same requests served in the order they came, shortest expected answer first, and by an oracle that knows every length.',
    simulated:
      'Server and GPUs are simulated, requests and lengths of answers made up unless you drop a log of yours; predictor, queue and frequency scaler are the real ones.',
    found:
      'Shortest first by a predicted length completes requests 41 % sooner on average (an oracle 50 %); clocks that follow the SLO’s slack draw 1.5 to 2.3 times less power.',
    measured:
      'On real prompts and lengths, served by a simulated server, 39.8 % sooner with the default ageing (48.2 % without, 55.8 % with lengths known), with a longest wait 2.23 times as long; clocks that follow the slack draw 1.55 times less power with an SLO of 4 × alone, 1.01 times with 1.5 ×.',
    section: '6.3 – 6.5',
    code: 'packages/serve',
    readme: 'packages/serve/README.md',
    results: ['docs/results/serving.md', 'docs/results/power.md'],
  },
]
