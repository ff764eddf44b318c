// Replaces the package string-width in the bundle.
export default (text) => text.length;
