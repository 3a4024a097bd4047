/** Line charts as SVG, for documents: nothing but text, no library. */
package org.weft.bench.plot;
