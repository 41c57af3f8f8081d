// One seed, one result: property tests draw the same cases on every machine. FC_SEED=N looks at others.
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20261128) })
