// @vitest-environment jsdom
import { afterEach, expect, test } from 'vitest'
import { bindTheme, themeOfCookie, useTheme } from './theme-store.ts'

let unbind = () => {}
afterEach(() => {
  useTheme.getState().choose('system')
  unbind()
})

const root = () => document.documentElement.getAttribute('data-theme')

test('a chosen theme stands on the root and in the cookie; system leaves no trace in either', () => {
  unbind = bindTheme(document)
  expect(root()).toBeNull()
  useTheme.getState().choose('dark')
  expect(root()).toBe('dark')
  expect(themeOfCookie(document.cookie)).toBe('dark')
  useTheme.getState().choose('system')
  expect(root()).toBeNull()
  expect(document.cookie).not.toContain('mission_theme')
})

test('a reload finds the theme that was chosen', () => {
  unbind = bindTheme(document)
  useTheme.getState().choose('light')
  unbind()
  useTheme.setState({ theme: 'system' })
  document.documentElement.removeAttribute('data-theme')
  unbind = bindTheme(document)
  expect(useTheme.getState().theme).toBe('light')
  expect(root()).toBe('light')
})

test('a cookie that says something else means system', () => {
  expect(themeOfCookie('a=b; mission_theme=neon')).toBe('system')
  expect(themeOfCookie('not_mission_theme=dark')).toBe('system')
  expect(themeOfCookie('a=b; mission_theme=dark; c=d')).toBe('dark')
})
