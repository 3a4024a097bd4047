/** How commands find a cluster and name the user that they act for. */
package org.weft.cli.cluster;
