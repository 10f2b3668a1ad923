// Unpacks the Chromium of the npm package into the folder for temporary files, with the libraries that it takes for
// missing in a Lambda function only.
process.env["AWS_LAMBDA_JS_RUNTIME"] = "nodejs20.x";
const { default: chromium } = await import("@sparticuz/chromium");
await chromium.executablePath();
