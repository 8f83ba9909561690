/**
 * Puts text on the clipboard; false if the browser refuses. Over plain HTTP on a network there is no
 * clipboard object, and the old command still works.
 */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text)
      return true
    } catch {
      // refused: no permission, or the document is not focused; the command below may still do
    }
  }
  const box = document.createElement('textarea')
  const focused = document.activeElement
  box.value = text
  box.readOnly = true
  box.style.position = 'fixed'
  box.style.opacity = '0'
  document.body.append(box)
  box.select()
  const copied = document.execCommand('copy')
  box.remove()
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  return copied
}
