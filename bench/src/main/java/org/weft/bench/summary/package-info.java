/** The one file of figures that each bench leaves, of one shape. */
package org.weft.bench.summary;
