import type { IdColumn } from '../../ids.js'
import { SHARED_ID } from '../../span-columns.js'
import type { TraceBuilder } from '../../trace-builder.js'
import { KINDS } from '../../types.js'

/** Of an id in a trace: different ones may have the same, which costs making strings of them. */
const hashOf = ({ high, low, form }: IdColumn, row: number, trace: number): number =>
  Math.imul(high[row]!, 0x9e3779b1) ^ Math.imul(low[row]! + form[row]!, 0x85ebca6b) ^ Math.imul(trace, 0xc2b2ae35)

const SERVER = KINDS.indexOf('server')

/**
 * Gives each span an id of its own where Zipkin lets the two halves of a call share one: the server's half becomes the
 * child of the client's half. Children of the call are the server's if its service ran them, else the client's.
 *
 * Also joins what a service reported of one span in pieces: a piece becomes a copy of the whole, of which one is kept.
 */
export class ZipkinHalves {
  readonly #builder: TraceBuilder
  /** Rows that became the child of their client's half. */
  readonly #separated = new Set<number>()

  constructor(builder: TraceBuilder) {
    this.#builder = builder
  }

  /** Works on all rows handed over; call it before they are assembled. */
  separate(): void {
    const servers = new Map<string, Map<number, string>>()
    for (const [key, rows] of this.#rowsOfRepeatedIds()) {
      for (const row of rows) this.#joinPiece(row, rows)
      const serverRows = rows.filter((row) => this.#isServer(row))
      if (serverRows.length > 0 && serverRows.length < rows.length) servers.set(key, this.#separateServers(serverRows))
    }
    if (servers.size > 0) this.#adoptChildren(servers)
    this.#separated.clear()
  }

  #isServer(row: number): boolean {
    const { flags, kind } = this.#builder.columns
    return (flags[row]! & SHARED_ID) !== 0 || kind[row] === SERVER
  }

  #rowsOfRepeatedIds(): Map<string, number[]> {
    const { trace, id, size } = this.#builder.columns
    const firsts = new Map<number, number>()
    const suspects = new Set<number>()
    for (let row = 0; row < size; row++) {
      const hash = hashOf(id, row, trace[row]!)
      const first = firsts.get(hash)
      if (first === undefined) firsts.set(hash, row)
      else suspects.add(first).add(row)
    }
    const rows = new Map<string, number[]>()
    for (const row of suspects) {
      const key = `${trace[row]}/${id.text(row)}`
      const same = rows.get(key)
      if (same) same.push(row)
      else rows.set(key, [row])
    }
    return rows
  }

  /** A piece lacks the start, or has the same start and lacks the end. */
  #joinPiece(piece: number, rows: readonly number[]): void {
    const { columns } = this.#builder
    const { service, startUs, startNs, endUs, flags } = columns
    if (!Number.isNaN(endUs[piece])) return
    const isSame = (row: number) => startUs[row] === startUs[piece] && startNs[row] === startNs[piece]
    const isWhole = (row: number) => (Number.isNaN(startUs[piece]) ? !Number.isNaN(startUs[row]) : isSame(row))
    const isWanted = (row: number) => service[row] === service[piece] && !Number.isNaN(endUs[row]) && isWhole(row)
    const whole = rows.find(isWanted)
    if (whole === undefined) return
    flags[whole]! |= flags[piece]!
    columns.copyRow(whole, piece)
  }

  /** @returns the new id of each service's half */
  #separateServers(rows: readonly number[]): Map<number, string> {
    const { columns, traceIds } = this.#builder
    const newIds = new Map<number, string>()
    for (const row of rows) {
      const trace = columns.trace[row]!
      const service = columns.service[row]!
      const clientId = columns.id.text(row)
      const newId = newIds.get(service) ?? `${clientId}_server${newIds.size > 0 ? newIds.size + 1 : ''}`
      newIds.set(service, newId)
      columns.id.setText(row, newId)
      columns.parent.setText(row, clientId)
      this.#separated.add(row)
      this.#builder.repair('shared_span', trace, () => `${traceIds.text(trace)}/${clientId}`)
    }
    return newIds
  }

  #adoptChildren(servers: ReadonlyMap<string, ReadonlyMap<number, string>>): void {
    const { trace, parent, service, size } = this.#builder.columns
    const calls = new Set(Array.from(this.#separated, (row) => hashOf(parent, row, trace[row]!)))
    for (let row = 0; row < size; row++) {
      if (this.#separated.has(row) || !calls.has(hashOf(parent, row, trace[row]!))) continue
      const newId = servers.get(`${trace[row]}/${parent.text(row)}`)?.get(service[row]!)
      if (newId !== undefined) parent.setText(row, newId)
    }
  }
}
