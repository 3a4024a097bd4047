/** Wall clocks of machines that differ, put right by what SysMgr's clock says. Thread-safe. */
package org.weft.protocol.clock;
