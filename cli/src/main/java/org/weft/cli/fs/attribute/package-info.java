/** {@code weft fs} on what a file is beside its bytes: owner, mode, access lists, attributes. */
package org.weft.cli.fs.attribute;
