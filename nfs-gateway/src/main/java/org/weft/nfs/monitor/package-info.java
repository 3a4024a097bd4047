/**
 * Knows which hosts have locks by way of this gateway, so that they are told when it, or another
 * one at its address, starts (P 6.5f; C702 chapter 11). The list is SysMgr's. All state is of one
 * serial executor; nothing blocks.
 */
package org.weft.nfs.monitor;
