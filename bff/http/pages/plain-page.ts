/** A page without scripts for when there is no other: a headline, and one paragraph for each line. */
export function plainPage(status: number, headline: string, lines: readonly string[]): Response {
  const paragraphs = lines.map((line) => `<p>${escaped(line)}</p>`).join('\n')
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(headline)} · Mission Field</title>
<style>body { font: 1rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto 0; padding: 0 1.5rem } h1 { font-size: 1.4rem }</style>
</head>
<body>
<h1>${escaped(headline)}</h1>
${paragraphs}
</body>
</html>
`
  return new Response(html, { status, headers: { 'Content-Type': 'text/html; charset=utf-8' } })
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
