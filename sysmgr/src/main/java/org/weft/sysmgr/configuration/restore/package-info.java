/**
 * How SysMgr begins again after it lost all its disks. OSDs keep the copy of the configuration. Of
 * it, and of what OSDs know, a new configuration is made. A file hands it to the first member. Uses
 * {@code stored} and {@code state}. Pure.
 */
package org.weft.sysmgr.configuration.restore;
