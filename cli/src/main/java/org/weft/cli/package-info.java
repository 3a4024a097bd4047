/** The launcher {@code weft}: daemons, quickstart, file commands, status. */
package org.weft.cli;
