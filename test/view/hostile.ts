/** Emails that try to run or load something, or to leave their frame. `url`: the address that they try to reach. */
export function hostileMails(url: string): { [what: string]: string } {
  return {
    script: `<script>top.name = 'ran'; fetch('${url}/script')</script>`,
    'script from elsewhere': `<script src="${url}/script.js"></script>`,
    handler: `<img src=x onerror="top.name = 'ran'; new Image().src = '${url}/handler'">`,
    'svg handler': `<svg onload="top.name = 'ran'"><script href="${url}/svg.js"></script><image href="${url}/svg.png"/></svg>`,
    refresh: `<meta http-equiv="refresh" content="0; url=${url}/refresh">`,
    'refresh to a script': `<meta http-equiv="refresh" content="0; url=javascript:top.name='ran'">`,
    form: `<form action="${url}/form"><input name=a autofocus onfocus="this.form.submit()"><button>go</button></form>`,
    import: `<style>@import url("${url}/import.css"); @font-face { font-family: x; src: url("${url}/font") } body { font-family: x; background: url("${url}/background.png") }</style>`,
    image: `<img src="${url}/pixel.png"><img srcset="${url}/set.png 2x"><picture><source srcset="${url}/source.png"><img></picture>`,
    'background attribute': `<table background="${url}/table.png"><tr><td background="${url}/td.png">x</table>`,
    stylesheet: `<link rel="stylesheet" href="${url}/style.css"><link rel="icon" href="${url}/icon.png"><link rel="manifest" href="${url}/manifest">`,
    'loading ahead': `<link rel="prefetch" href="${url}/prefetch"><link rel="preload" as="image" href="${url}/preload"><link rel="modulepreload" href="${url}/module"><link rel="prerender" href="${url}/prerender">`,
    'connecting ahead': `<link rel="dns-prefetch" href="${url}"><link rel="preconnect" href="${url}">`,
    frame: `<iframe src="${url}/frame"></iframe><object data="${url}/object"></object><embed src="${url}/embed"><frame src="${url}/old">`,
    'frame of its own document': `<iframe srcdoc="<script>top.name='ran'</script><img src='${url}/inner.png'>"></iframe>`,
    base: `<base href="${url}/base/" target="_top"><img src="relative.png"><a href="next">x</a>`,
    media: `<video src="${url}/video" poster="${url}/poster" autoplay></video><audio src="${url}/audio" autoplay></audio><track src="${url}/track">`,
    'end of the frame': `</iframe></iframe><script>top.name = 'ran'</script><img src="${url}/escaped.png">`,
    'end of the attribute': `" onload="top.name='ran'" srcdoc="<img src='${url}/attribute.png'>`,
    "end of an attribute with '": `' onload='top.name="ran"' x='`,
    'end of the document': `</body></html><img src="${url}/behind.png"><!--`,
    'end of style and title': `</style></title></textarea><script>top.name='ran'</script>`,
    'own policy': `<meta http-equiv="Content-Security-Policy" content="default-src *; script-src 'unsafe-inline'"><script>top.name='ran'</script><img src="${url}/policy.png">`,
    'link to a script': `<a href="javascript:top.name='ran'" id=a>x</a><map><area href="${url}/area" ping="${url}/ping"></map>`,
    entities:
      '&lt;script&gt;top.name=1&lt;/script&gt; &#60;img src=x onerror=top.name=1&#62; &quot; &amp;quot;',
    'log commands': '::set-output name=a::b\n##[error]x\n##vso[task.setvariable]x',
    bidi: 'a\u202eb\u2066c\u200d\ufeff\u0007',
  };
}
