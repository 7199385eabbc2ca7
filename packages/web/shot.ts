import { chromium } from "playwright-core";
const base="http://127.0.0.1:8431";
const paths=process.argv.slice(2);
const b=await chromium.launch({executablePath:"/usr/bin/chromium",args:["--no-sandbox"]});
for(const [w,scheme] of [[1280,"light"],[360,"dark"]] as const){
  const ctx=await b.newContext({viewport:{width:w,height:900},colorScheme:scheme});
  for(const p of paths){const page=await ctx.newPage(); page.on("console",m=>{if(m.type()!=="info"&&m.type()!=="log")console.log("CONSOLE",p,m.text())}); page.on("pageerror",e=>console.log("ERR",e));
   const r=await page.goto(base+p); const wide=await page.evaluate(()=>document.documentElement.scrollWidth-innerWidth);
   console.log(p,w,r?.status(),"wider",wide, "styles", await page.evaluate(()=>document.querySelectorAll("[style]").length));
   await page.screenshot({path:`/tmp/pb/${p.replace(/\W+/g,"_")}_${w}_${scheme}.png`,fullPage:true}); await page.close();}
}
await b.close();
