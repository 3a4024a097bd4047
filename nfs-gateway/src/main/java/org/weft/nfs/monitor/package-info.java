/**
 * Knows which hosts have locks through this gateway (P 6.5f; C702 chapter 11). It tells them when
 * this gateway, or another one at its address, starts. The list is SysMgr's. All state is of one
 * serial executor; nothing blocks.
 */
package org.weft.nfs.monitor;
