// Files that are dropped anywhere on the page or chosen in its box: one that misses the box must not replace the page.
import { element } from './dom.js'

/** @param take  is given the files, at least one */
export function setUpDrop(take: (files: readonly File[]) => void): void {
  const box = element('drop')
  const input = box.querySelector('input')!
  const offer = (files: FileList | null | undefined): void => {
    if (files && files.length > 0) take([...files])
  }
  const mark = (isOver: boolean) => (event: DragEvent) => {
    event.preventDefault()
    box.classList.toggle('over', isOver)
  }
  addEventListener('dragover', mark(true))
  addEventListener('dragleave', mark(false))
  addEventListener('drop', (event) => {
    mark(false)(event)
    offer(event.dataTransfer?.files)
  })
  input.addEventListener('change', () => offer(input.files))
}
