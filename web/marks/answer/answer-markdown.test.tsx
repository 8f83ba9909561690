import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import AnswerMarkdown from './answer-markdown.tsx'
import { safeLink } from './safe-link.ts'

const render = (text: string, streaming = false) =>
  renderToStaticMarkup(<AnswerMarkdown text={text} streaming={streaming} />)

describe('AnswerMarkdown', () => {
  it('draws text, lists, tables and code', () => {
    const html = render(
      '# Head\n\nA **bold** word\n\n- one\n- two\n\n|a|b|\n|-|-|\n|1|2|\n\n```js\nlet a\n```',
    )
    for (const part of [
      '<h4 dir="auto">Head</h4>',
      '<strong>bold</strong>',
      '<li dir="auto">one</li>',
      '<td dir="auto">1</td>',
    ])
      expect(html).toContain(part)
    expect(html).toContain('<span>js</span>')
    expect(html).toContain('let a')
  })

  it.each([
    ['a script', '<script>alert(1)</script>'],
    ['a script within a paragraph', 'a <script src="https://evil.example/x.js"></script> b'],
    ['an image that runs code', '<img src=x onerror=alert(1)>'],
    ['a frame', '<iframe src="https://evil.example"></iframe>'],
    ['a style', '<style>body{background:url(https://evil.example)}</style>'],
    ['a javascript link', '[a](javascript:alert(1))'],
    ['a javascript link in disguise', '[a](JaVaScRiPt:alert(1))'],
    ['a data link', '[a](data:text/html;base64,PHNjcmlwdD4=)'],
    ['a javascript image', '![a](javascript:alert(1))'],
    ['a link without a protocol', '[a](//evil.example)'],
    ['a link into this page', '[a](/api/v1/settings)'],
    ['a javascript reference', '[a][b]\n\n[b]: javascript:alert(1)'],
    ['an automatic link', '<javascript:alert(1)>'],
  ])('makes %s inert', (_, text) => {
    const html = render(text)
    expect(html).not.toMatch(/<(script|img|iframe|style|object|embed|link)\b/i)
    expect(html).not.toMatch(/<[^>]*\s(href|src|onerror|srcset|action)=/i)
  })

  it('shows markup as it was written, and breaks a line where it says so', () => {
    expect(render('use <div class="a"> here')).toContain('use &lt;div class=&quot;a&quot;&gt; here')
    expect(render('<details>\nmore\n</details>')).toContain('&lt;details&gt;')
    expect(render('|a|\n|-|\n|1<br>2|')).toMatch(/1<br\/>\s2/)
  })

  it('opens web and mail links elsewhere and tells them nothing', () => {
    expect(render('[a](https://b.example/c)')).toContain(
      '<a href="https://b.example/c" target="_blank" rel="noopener noreferrer"',
    )
    expect(render('write to a@b.example')).toContain('href="mailto:a@b.example"')
  })

  it('loads no image: it becomes a link that says so', () => {
    const html = render('![a chart](https://b.example/c.png)')
    expect(html).not.toContain('<img')
    expect(html).toContain('image: a chart</a>')
  })

  it('resolves reference links whose definition is in another block, while streaming too', () => {
    for (const streaming of [false, true])
      expect(render('see [a][b]\n\nmore\n\n[b]: https://c.example', streaming)).toContain(
        'href="https://c.example"',
      )
  })

  it('parses a group at a time: what is further down stands as plain text at first', () => {
    const html = render(Array.from({ length: 45 }, (_, index) => `**p${index}**`).join('\n\n'))
    expect(html.match(/<strong>/g)).toHaveLength(20)
    expect(html).toContain('**p44**')
  })
})

describe('safeLink', () => {
  it('passes the web and mail only', () => {
    expect(safeLink('https://a.example')).toBe('https://a.example')
    expect(safeLink('mailto:a@b.example')).toBe('mailto:a@b.example')
    for (const bad of [
      'javascript:alert(1)',
      ' javascript:alert(1)',
      'java\nscript:alert(1)',
      'file:///etc',
      '/a',
      '',
      null,
    ])
      expect(safeLink(bad)).toBeNull()
  })
})
