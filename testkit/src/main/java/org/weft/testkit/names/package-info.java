/**
 * The names of a file system and the rights of users: the model that real ones are compared with.
 */
package org.weft.testkit.names;
