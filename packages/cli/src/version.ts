import { readFile } from 'node:fs/promises'

/** The version in this package's manifest, which lies one folder up from the sources and from the build alike. */
export async function readVersion(): Promise<string> {
  const manifest: { readonly version: string } = JSON.parse(
    await readFile(new URL('../package.json', import.meta.url), 'utf8'),
  )
  return manifest.version
}
