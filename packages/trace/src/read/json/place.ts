import type { IdColumn } from '../../ids.js'
import { type JsonCursor, NUMBER, STRING } from './cursor.js'

/** A string or number the cursor has passed, as where it lies in the bytes; it holds until the unit is read. */
export class Place {
  from = 0
  to = 0
  isEscaped = false

  get isEmpty(): boolean {
    return this.from === this.to
  }

  clear(): void {
    this.to = this.from
    this.isEscaped = false
  }

  /** Takes the value the cursor stands before; empty unless it is a string or number. */
  read(cursor: JsonCursor): void {
    const kind = cursor.scalar()
    const isText = kind === STRING || kind === NUMBER
    this.from = cursor.from
    this.to = isText ? cursor.to : cursor.from
    this.isEscaped = isText && cursor.isEscaped
  }

  copy(other: Place): void {
    this.from = other.from
    this.to = other.to
    this.isEscaped = other.isEscaped
  }

  /** Whether both say the same. */
  isSame(cursor: JsonCursor, other: Place): boolean {
    if (this.isEscaped || other.isEscaped) return this.text(cursor) === other.text(cursor)
    if (this.to - this.from !== other.to - other.from) return false
    const { bytes } = cursor
    let i = this.from
    for (let j = other.from; i < this.to && bytes[i] === bytes[j]; j++) i++
    return i === this.to
  }

  text(cursor: JsonCursor): string {
    cursor.from = this.from
    cursor.to = this.to
    cursor.isEscaped = this.isEscaped
    return cursor.text()
  }

  /** As the id of a row; no id if empty. */
  write(cursor: JsonCursor, column: IdColumn, row: number): void {
    if (this.isEscaped) column.setText(row, this.text(cursor))
    else column.setBytes(row, cursor.bytes, this.from, this.to)
  }
}
