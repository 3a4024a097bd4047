/** {@code weft status}: what is up, what is wrong and what to do, on one screen. */
package org.weft.cli.status;
