/**
 * The separate daemons. Each reads {@code weft.conf}, starts one part and runs until it gets a
 * signal to stop.
 */
package org.weft.cli.daemon;
