/**
 * How SysMgr begins again after it lost all its disks: the copy of the configuration that OSDs
 * keep, the configuration that is made of it and of what OSDs know, and the file that hands it to
 * the first member. Uses {@code stored} and {@code state}. Pure.
 */
package org.weft.sysmgr.configuration.restore;
