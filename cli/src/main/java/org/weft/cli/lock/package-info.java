/** {@code weft lock}: who has locked which bytes of a file. */
package org.weft.cli.lock;
