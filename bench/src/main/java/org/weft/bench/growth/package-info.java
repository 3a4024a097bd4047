/** What an operation costs as the work grows: with files, sizes, OSDs and connections. */
package org.weft.bench.growth;
