/**
 * The texts in the given locale, else in the first supported language of the `accept-language` header, which
 * browsers write in the order of preference, else in the first language of the list.
 */
export function chooseLanguage<Texts extends { lang: string }>(
  languages: readonly Texts[],
  locale: string | null,
  acceptLanguage: string | undefined,
): Texts {
  const [first] = languages
  if (!first) throw new Error('no language')
  const preferred = [
    locale ?? '',
    ...(acceptLanguage ?? '').split(',').map((language) => language.split(';')[0]?.trim() ?? ''),
  ]
  for (const language of preferred) {
    const texts = textsOf(languages, language)
    if (texts) return texts
  }
  return first
}

function textsOf<Texts extends { lang: string }>(
  languages: readonly Texts[],
  locale: string,
): Texts | undefined {
  const tag = locale.replaceAll('_', '-').toLowerCase()
  return (
    languages.find(({ lang }) => lang.toLowerCase() === tag) ??
    languages.find(({ lang }) => lang === tag.split('-')[0])
  )
}
