/** {@code weft volume}: makes, lists and deletes volumes. */
package org.weft.cli.volume;
