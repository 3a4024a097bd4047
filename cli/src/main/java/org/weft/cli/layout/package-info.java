/**
 * {@code weft layout}: on which OSDs a file lies and how it is cut into units, and how the files of
 * a directory are to be.
 */
package org.weft.cli.layout;
