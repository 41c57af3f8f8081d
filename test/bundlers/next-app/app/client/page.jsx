'use client'

import { useEffect } from 'react'
import { decide } from '../../ten-lines.mjs'

/** Decides in the browser. */
export default function Page() {
  useEffect(() => {
    decide().then((answer) => {
      document.title = answer
    })
  }, [])
  return <p>deciding</p>
}
