import { describe, expect, it } from 'vitest'
import { RelayTurn } from '../src/relay-turn.js'

const HEARTBEAT_MS = 100

/** Whether it is our turn after each answer of the server. */
function turnsAt(turn: RelayTurn, ...answersMs: readonly number[]): boolean[] {
  return answersMs.map((nowMs) => {
    turn.answered(nowMs)
    return turn.isOurs
  })
}

describe('the turn to pass on', () => {
  it('comes when nobody has for a heartbeat and a half, and stays', () => {
    const turn = new RelayTurn(HEARTBEAT_MS, 0)
    expect(turnsAt(turn, 60, 150, 160, 260)).toEqual([false, false, true, true])
  })

  it('does not come while one of longer standing passes on, and goes to such a one', () => {
    const turn = new RelayTurn(HEARTBEAT_MS, 0)
    for (let nowMs = 0; nowMs < 1000; nowMs += HEARTBEAT_MS) {
      turn.yield(nowMs + 90)
      expect(turnsAt(turn, nowMs + HEARTBEAT_MS)).toEqual([false])
    }
    expect(turnsAt(turn, 1100, 1200, 1300)).toEqual([false, true, true])
    turn.yield(1350)
    expect(turnsAt(turn, 1400, 1500, 1510)).toEqual([false, false, true])
  })

  it('does not come of having slept, nor of a server that does not answer; whose turn it was goes on', () => {
    const slept = new RelayTurn(HEARTBEAT_MS, 0)
    expect(turnsAt(slept, 100_000)).toEqual([false])
    const cutOff = new RelayTurn(HEARTBEAT_MS, 0)
    for (let nowMs = 0; nowMs < 1000; nowMs += HEARTBEAT_MS) cutOff.unanswered(nowMs)
    expect(turnsAt(cutOff, 1000, 1100)).toEqual([false, true])
    cutOff.unanswered(2000)
    expect(turnsAt(cutOff, 2001)).toEqual([true])
  })
})
