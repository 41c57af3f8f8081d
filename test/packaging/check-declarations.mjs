// Strict TypeScript, the ten lines of test/bundlers among it, compiles against the packed declarations, library check included. Run by `npm run check`.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPacked } from './install-packed.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
const OPTIONS = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--target', 'es2022']
/** The ways in which TypeScript finds what a package exports. */
const RESOLUTIONS = [
  ['--module', 'nodenext'],
  ['--module', 'node16'],
  ['--module', 'esnext', '--moduleResolution', 'bundler'],
]
/** What a service on Node has, and no more: no DOM, nothing that is not yet in the language. */
const LIBRARIES = ['--lib', 'es2023', '--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')]

const folder = mkdtempSync(join(tmpdir(), 'trimtab-declarations-'))
try {
  const names = Object.keys(await installPacked(folder)).filter((name) => /^(@trimtab\/|trimtab$)/.test(name))
  const imports = names.map((name, i) => `import * as package${i} from '${name}'`)
  const uses = names.map((_, i) => `package${i}`).join(', ')
  writeFileSync(join(folder, 'consumer.ts'), `${imports.join('\n')}\nexport const used: object[] = [${uses}]\n`)
  copyFileSync(join(ROOT, 'test/bundlers/ten-lines.mjs'), join(folder, 'ten-lines.ts'))
  for (const resolution of RESOLUTIONS)
    execFileSync(process.execPath, [TSC, ...OPTIONS, ...resolution, ...LIBRARIES, 'consumer.ts', 'ten-lines.ts'], {
      cwd: folder,
      stdio: 'inherit',
    })
} catch (error) {
  if (error.status === undefined) throw error
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
