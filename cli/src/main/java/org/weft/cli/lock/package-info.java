/** {@code weft lock}: the byte-range locks on a file, and their owners. */
package org.weft.cli.lock;
