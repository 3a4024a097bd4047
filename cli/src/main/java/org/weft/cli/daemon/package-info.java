/**
 * The separate daemons: each reads {@code weft.conf}, starts one part and runs until it is told to
 * stop.
 */
package org.weft.cli.daemon;
