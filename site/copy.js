// A button on every block of code that copies it. Without this script there is none.
const COPIED_MS = 2000

for (const block of document.querySelectorAll('pre')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  const name = () => {
    button.textContent = 'Copy'
  }
  name()
  button.addEventListener('click', async () => {
    const code = block.querySelector('code') ?? block
    try {
      await navigator.clipboard.writeText(code.textContent.trimEnd())
      button.textContent = 'Copied'
    } catch {
      getSelection()?.selectAllChildren(code) // no clipboard here: ready for the keyboard
      button.textContent = 'Selected'
    }
    setTimeout(name, COPIED_MS)
  })
  const frame = document.createElement('div')
  frame.className = 'code'
  block.replaceWith(frame)
  frame.append(block, button)
}
