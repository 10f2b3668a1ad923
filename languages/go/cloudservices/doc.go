// Pulumi resources for the Cloud Services Developer API
package cloudservices
